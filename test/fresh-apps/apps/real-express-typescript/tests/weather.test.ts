import request from 'supertest';
import { app } from '../src/app';

test('a city has weather', async () => {
  const { body } = await request(app).get('/weather/Bern').expect(200);
  expect(body).toEqual({ city: 'Bern', degrees: 21 });
});
