const { randomUUID, scrypt, timingSafeEqual, randomBytes } = require('node:crypto');
const { promisify } = require('node:util');

const hash = promisify(scrypt);
const documents = new Map();

/** A user, with the methods of a Mongoose model. The documents are in memory. */
class User {
  constructor(fields) {
    Object.assign(this, { id: randomUUID(), email: undefined, phone: undefined }, fields);
  }

  static async create(fields) {
    return new User(fields).save();
  }

  static async findOne(filter) {
    const matches = (user) => Object.entries(filter).every(([name, value]) => user[name] === value);
    return [...documents.values()].find(matches) ?? null;
  }

  static async findById(id) {
    return documents.get(id) ?? null;
  }

  async setPassword(password) {
    this.salt = randomBytes(16);
    this.password = await hash(password, this.salt, 32);
  }

  async comparePassword(candidate) {
    return this.password !== undefined && timingSafeEqual(this.password, await hash(candidate, this.salt, 32));
  }

  async save() {
    documents.set(this.id, this);
    return this;
  }
}

module.exports = User;
