const passport = require('passport');
const User = require('../models/User');

exports.postSignup = async (req, res, next) => {
  try {
    const email = req.body.email.toLowerCase();
    if (await User.findOne({ email })) return res.status(409).json({ error: 'There is an account with this address.' });
    const user = await User.create({ email, password: req.body.password });
    return req.logIn(user, (error) => (error ? next(error) : res.status(201).json({ id: user.id })));
  } catch (error) {
    return next(error);
  }
};

exports.postLogin = (req, res, next) => {
  passport.authenticate('local', (error, user, info) => {
    if (error) return next(error);
    if (!user) return res.status(401).json({ error: info.message });
    return req.logIn(user, (failure) => (failure ? next(failure) : res.json({ id: user.id })));
  })(req, res, next);
};

exports.getAccount = (req, res) => {
  const { id, email, phone } = req.user;
  res.json({ id, email, phone });
};
