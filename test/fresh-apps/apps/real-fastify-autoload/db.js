import mysql from "mysql2/promise";

export const pool = mysql.createPool(process.env.DATABASE_URL ?? "mysql://root@127.0.0.1:3306/test");
