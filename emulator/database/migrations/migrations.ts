/** All migrations, oldest first. */
import { baseline } from './0100-baseline.js'
import { schemaRules } from './0101-schema-rules.js'
import { memberships } from './0102-memberships.js'
import type { Migration } from './migration.js'

export type { Migration } from './migration.js'

export const migrations: readonly Migration[] = [baseline, schemaRules, memberships]
