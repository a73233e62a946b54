/** A file of ten tests: with the word "helper", each with a project of its own and a document in it. */
import { test } from 'node:test'
import { built } from '../tools/built.js'

const isHelped = process.argv.includes('helper')
const emulator = isHelped ? await (await built('emulator/testing.js')).startTestEmulator() : undefined

for (let number = 1; number <= 10; number++) {
  test(`test ${number}`, async () => {
    const project = await emulator?.project()
    await project?.client.collections.create({ name: 'posts' })
    await project?.client.collection('posts').create({ title: `Post ${number}` })
  })
}
