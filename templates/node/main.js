import { existsSync } from 'node:fs'
import { openNotes } from './notes.js'

// On your machine, reads settings from .env.local. Environment variables take precedence.
if (existsSync('.env.local')) process.loadEnvFile('.env.local')
const { SVC_URL: url, SVC_API_KEY: apiKey } = process.env

if (!url || !apiKey) {
  console.error('SVC_URL and SVC_API_KEY are not set. On your machine, “npx svc dev” writes them to .env.local.')
  console.error('In a fresh clone, run “npx svc init --yes” first.')
  process.exit(1)
}

const notes = await openNotes({ url, apiKey })
await notes.add(`Started at ${new Date().toISOString()}`, ['log'])

for (const { data } of await notes.tagged('log')) console.log(data.text)
console.log(`${await notes.count()} notes. List them: npx svc docs list notes`)
