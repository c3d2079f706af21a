const mongoose = require("mongoose");

// A stub of the driver keeps the documents in memory, so that the app runs without a database.
mongoose.setDriver(require("./memory-driver"));

exports.connect = () => mongoose.connect(process.env.MONGO_URL || "memory://tasks");
exports.disconnect = () => mongoose.disconnect();
