const { Router } = require("express");
const jwt = require("jsonwebtoken");
const User = require("../models/User");

const router = Router();

const signToken = (user) =>
  jwt.sign({ id: user.id }, process.env.JWT_SECRET || "only for development", { expiresIn: "1h" });

router.post("/register", async (req, res, next) => {
  try {
    const { email, name } = req.body;
    if (await User.findOne({ email })) return res.status(409).json({ message: "This address is taken." });
    const user = await User.create({ email, name });
    res.status(201).json({ token: signToken(user) });
  } catch (error) {
    next(error);
  }
});

module.exports = router;
