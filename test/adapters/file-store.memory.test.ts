import { openMemoryStore } from '../../emulator/ports/files/memory.js'
import { fileStoreCases } from './file-store.cases.js'

fileStoreCases('memory', async () => {
  const files = new Map<string, Buffer>()
  return { open: async () => openMemoryStore(files), stop: async () => files.clear() }
})
