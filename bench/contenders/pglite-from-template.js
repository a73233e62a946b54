/** Bare PGlite in memory, from the template of an empty database that the package ships, until its first answer. */
import { readFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

const template = readFileSync(new URL('../../dist/template.tar.gz', import.meta.url))
const db = await PGlite.create({ loadDataDir: new Blob([new Uint8Array(template)]), extensions: { pg_trgm } })
await db.query('select 1')
process.exit()
