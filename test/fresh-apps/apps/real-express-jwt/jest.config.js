module.exports = {
  testEnvironment: "node",
  setupFiles: ["dotenv/config"],
};
