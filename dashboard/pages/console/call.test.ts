import { expect, test } from 'vitest'
import { CallFault, readCall } from './call.js'

test.each([
  [`svc.collection('posts').list()`, ['collection', 'posts', 'list', []]],
  [
    `await svc.collection("posts").list({ where: { views: { gte: -1e2 }, 'a b': [1, 2,], }, limit: 5, });`,
    ['collection', 'posts', 'list', [{ where: { views: { gte: -100 }, 'a b': [1, 2] }, limit: 5 }]],
  ],
  [
    `svc // first\n .collection('p')\n .update('id', { text: "a\\n\\u00e9\\x41\\'", isOn: true, none: null })`,
    ['collection', 'p', 'update', ['id', { text: "a\né\x41'", isOn: true, none: null }]],
  ],
  ['svc.users.get(`x`)', ['users', undefined, 'get', ['x']]],
])('%s', (text, [room, collection, method, args]) => {
  expect(readCall(text)).toEqual({ room, collection, method, args })
})

test('a field called __proto__ is a field', () => {
  const { args } = readCall(`svc.collection('p').create({ __proto__: { isAdmin: true } })`)

  expect(Object.keys(args[0] as object)).toEqual(['__proto__'])
  expect('isAdmin' in (args[0] as object)).toBe(false)
})

test.each([
  ['', 0],
  ['fetch("/")', 0],
  ['svc.constructor("return 1")()', 4],
  ['svc.collection("p").constructor()', 20],
  ['svc.collection(name).list()', 15],
  ['svc.collection("p").list(window.name)', 25],
  ['svc.collection("p").list({ a: alert(1) })', 30],
  ['svc.collection("p").list({ [a]: 1 })', 27],
  ['svc.collection("p").list({ get a() {} })', 31],
  [`svc.collection("p").list(\`\${a}\`)`, 26],
  ['svc.collection("p").list("a', 25],
  ['svc.collection("p").list(1e999)', 25],
  ['svc.collection("p").list(); svc.users.list()', 28],
  ['svc.collection("p").list(...[1])', 25],
  [`svc.users.list(${'['.repeat(200)}`, 115],
])('%s is refused where it is wrong', (text, at) => {
  expect(() => readCall(text)).toThrow(CallFault)
  try {
    readCall(text)
  } catch (error) {
    expect((error as CallFault).at).toBe(at)
  }
})
