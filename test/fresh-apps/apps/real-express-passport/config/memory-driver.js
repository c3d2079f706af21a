const mongoose = require('mongoose');

const isSame = (value, other) => String(value) === String(other) && (value === undefined) === (other === undefined);
const matches = (document, filter) => Object.entries(filter).every(([name, value]) => isSame(document[name], value));

class Collection extends mongoose.Collection {
  documents = [];

  async createIndex() {}

  async insertOne(document) {
    this.documents.push(document);
    return { acknowledged: true, insertedId: document._id };
  }

  async findOne(filter) {
    return this.documents.find((document) => matches(document, filter)) ?? null;
  }

  find(filter) {
    return { toArray: async () => this.documents.filter((document) => matches(document, filter)) };
  }

  async findOneAndUpdate(filter, { $set = {}, $setOnInsert = {} }, { upsert = false } = {}) {
    const found = await this.findOne(filter);
    if (found) return Object.assign(found, $set);
    if (!upsert) return null;
    const document = { _id: new mongoose.Types.ObjectId(), ...filter, ...$set, ...$setOnInsert };
    await this.insertOne(document);
    return document;
  }

  async updateOne(filter, update, options) {
    const document = await this.findOneAndUpdate(filter, update, options);
    return { acknowledged: true, matchedCount: document ? 1 : 0, modifiedCount: document ? 1 : 0 };
  }
}

class Connection extends mongoose.Connection {
  async createClient() {
    this.readyState = mongoose.STATES.connected;
    return this;
  }

  async createCollection() {}

  async doClose() {
    this.readyState = mongoose.STATES.disconnected;
  }
}

module.exports = { Collection, Connection };
