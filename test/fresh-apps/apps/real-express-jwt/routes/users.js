const { Router } = require("express");
const auth = require("../middleware/auth");

const router = Router();

router.get("/me", auth, (req, res) => {
  const { id, email, phone, name } = req.user;
  res.json({ id, email, phone, name });
});

module.exports = router;
