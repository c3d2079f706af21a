const dotenv = require('dotenv');
dotenv.config({ quiet: true });

const express = require('express');
const lusca = require('lusca');
const mongoose = require('mongoose');
const passport = require('passport');
const session = require('express-session');
const passportConfig = require('./config/passport');
const userController = require('./controllers/user');

// A stub of the driver keeps the documents in memory, so that the app runs without a database.
mongoose.setDriver(require('./config/memory-driver'));
mongoose.connect(process.env.MONGODB_URI || 'memory://club');

const app = express();
app.set('port', process.env.PORT || 8080);
app.use(express.json());
app.use(express.urlencoded({ extended: true }));
app.use(session({
  resave: false,
  saveUninitialized: false,
  secret: process.env.APP_SECRET || 'only for development',
  cookie: { maxAge: 1209600000 },
}));
app.use(passport.initialize());
app.use(passport.session());
app.use(lusca.csrf());
app.use(lusca.xframe('SAMEORIGIN'));

app.get('/', (req, res) => res.send('Welcome to the club'));
app.get('/csrf', (req, res) => res.json({ token: res.locals._csrf }));
app.post('/signup', userController.postSignup);
app.post('/login', userController.postLogin);
app.get('/account', passportConfig.isAuthenticated, userController.getAccount);
app.use((err, req, res, next) => {
  if (res.statusCode < 400) res.status(500);
  res.json({ error: err.message });
});

if (require.main === module) {
  app.listen(app.get('port'), () => console.log(`Listening on port ${app.get('port')}`));
}

module.exports = app;
