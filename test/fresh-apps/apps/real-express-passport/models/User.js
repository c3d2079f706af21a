const { randomBytes, scrypt, timingSafeEqual } = require('node:crypto');
const { promisify } = require('node:util');
const mongoose = require('mongoose');

const hash = promisify(scrypt);

const userSchema = new mongoose.Schema({
  email: { type: String, unique: true, sparse: true, lowercase: true },
  phone: { type: String, unique: true, sparse: true },
  password: String,
  salt: String,
}, { timestamps: true });

userSchema.pre('save', async function hashPassword() {
  if (!this.password || !this.isModified('password')) return;
  this.salt = randomBytes(16).toString('hex');
  this.password = (await hash(this.password, this.salt, 32)).toString('hex');
});

userSchema.methods.comparePassword = async function comparePassword(candidate) {
  if (!this.password) return false;
  return timingSafeEqual(Buffer.from(this.password, 'hex'), await hash(candidate, this.salt, 32));
};

module.exports = mongoose.model('User', userSchema);
