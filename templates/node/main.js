import { existsSync } from 'node:fs'
import { openNotes } from './notes.js'

// Only on your machine: elsewhere the settings are variables, which come first.
if (existsSync('.env.local')) process.loadEnvFile('.env.local')
const { SVC_URL: url, SVC_API_KEY: apiKey } = process.env

if (!url || !apiKey) {
  console.error('SVC_URL and SVC_API_KEY are not set. On your machine “npx svc dev” writes them into .env.local.')
  console.error('In a fresh clone, where that file is missing, run “npx svc init --yes” first.')
  process.exit(1)
}

const notes = await openNotes({ url, apiKey })
await notes.add(`Started at ${new Date().toISOString()}`, ['log'])

for (const { data } of await notes.tagged('log')) console.log(data.text)
console.log(`${await notes.count()} notes. Look at them: svc docs list notes`)
