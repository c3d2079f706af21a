import express from 'express';

export const app = express();

app.use(express.json());
app.get('/weather/:city', (req, res) => {
  res.json({ city: req.params.city, degrees: 21 });
});
