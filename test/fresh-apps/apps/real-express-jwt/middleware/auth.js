const jwt = require("jsonwebtoken");
const User = require("../models/User");

module.exports = async (req, res, next) => {
  const token = req.headers.authorization?.startsWith("Bearer ") && req.headers.authorization.slice(7);
  if (!token) return res.status(401).json({ message: "No token" });
  try {
    const decoded = jwt.verify(token, process.env.JWT_SECRET || "only for development");
    req.user = await User.findById(decoded.id);
  } catch {
    return res.status(401).json({ message: "The token is not valid" });
  }
  if (!req.user) return res.status(401).json({ message: "No such user" });
  next();
};
