import { pool } from "./db.js";

export async function findUserById(id) {
  const [rows] = await pool.execute("SELECT id, email, phone FROM library_users WHERE id = ?", [id]);
  return rows[0];
}

export async function findUserByPhone(phone) {
  const [rows] = await pool.execute("SELECT id, email, phone FROM library_users WHERE phone = ?", [phone]);
  return rows[0];
}

export async function createUser({ email = null, phone = null }) {
  const [result] = await pool.execute("INSERT INTO library_users (email, phone) VALUES (?, ?)", [email, phone]);
  return findUserById(result.insertId);
}
