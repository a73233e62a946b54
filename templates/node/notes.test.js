import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'
import { openNotes } from './notes.js'

// Uses a separate emulator in memory, so that the notes of the app stay as they are.
const notes = await openNotes(await startTestEmulator())

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
