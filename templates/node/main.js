import { openNotes } from './notes.js'

const notes = await openNotes({ url: process.env.SVC_URL, apiKey: process.env.SVC_API_KEY })
await notes.add(`Started at ${new Date().toISOString()}`, ['log'])

for (const { data } of await notes.tagged('log')) console.log(data.text)
console.log(`${await notes.count()} notes. Look at them: svc docs list notes`)
