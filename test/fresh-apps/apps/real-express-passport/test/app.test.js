const request = require('supertest');
const app = require('../app');

async function openBrowser() {
  const browser = request.agent(app);
  const { body } = await browser.get('/csrf');
  return { browser, token: body.token };
}

test('the home page is public', async () => {
  const answer = await request(app).get('/');
  expect(answer.text).toContain('Welcome');
});

test('the account is not', async () => {
  await request(app).get('/account').expect(401);
});

test('a form without its token is refused', async () => {
  await request(app).post('/signup').send({ email: 'a@example.com', password: 'correct horse' }).expect(403);
});

test('a member signs up and logs in again', async () => {
  const first = await openBrowser();
  const account = { email: 'Ann@example.com', password: 'correct horse' };
  await first.browser.post('/signup').set('x-csrf-token', first.token).send(account).expect(201);
  const { body } = await first.browser.get('/account').expect(200);
  expect(body.email).toBe('ann@example.com');

  const second = await openBrowser();
  await second.browser.post('/login').set('x-csrf-token', second.token).send(account).expect(200);
  await second.browser.get('/account').expect(200);
});
