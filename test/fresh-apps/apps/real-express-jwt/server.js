require("dotenv").config({ quiet: true });
const app = require("./app");
const { connect } = require("./db");

const port = process.env.PORT || 5000;

connect().then(() => {
  app.listen(port, () => console.log(`Listening on port ${port}`));
});
