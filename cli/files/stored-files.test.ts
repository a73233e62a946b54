import { expect, it } from 'vitest'
import { fileRow } from './stored-files.js'

it('shows a file with its folder, and without a type that the service does not say', () => {
  const file = { id: '1', name: 'a.txt', path: 'notes', size: 6, createdAt: '', url: 'https://api.example.com/a.txt' }
  const shown = { id: '1', path: 'notes/a.txt', size: '6 bytes', url: file.url }

  expect(fileRow({ ...file, mimeType: 'text/plain' })).toEqual({ ...shown, type: 'text/plain' })
  expect(fileRow({ ...file, mimeType: '' })).toEqual(shown)
})
