import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openNotes } from './notes.js'

// A collection of its own: the notes of the app stay as they are.
const name = `notes-test-${process.pid}`
const notes = await openNotes({ url: process.env.SVC_URL, apiKey: process.env.SVC_API_KEY }, name)
after(() => notes.removeAll())

test('notes are found by their tag', async () => {
  await notes.add('Milk', ['shop'])
  await notes.add('Bread', ['shop'])
  await notes.add('Call Ada')

  const found = await notes.tagged('shop')

  assert.deepEqual(
    found.map(({ data }) => data.text),
    ['Bread', 'Milk'],
  )
})

test('a note without text is refused', async () => {
  await assert.rejects(notes.add(undefined), { code: 'VALIDATION_ERROR' })
})
