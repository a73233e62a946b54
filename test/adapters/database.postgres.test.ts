import { afterAll } from 'vitest'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { openDatabases } from '../fixtures/databases/shared-server.js'
import { databaseCases } from './database.cases.js'

const server = await openDatabases()
afterAll(() => server.stop())

databaseCases('PostgreSQL', async (options) => openPostgres({ url: await server.newDatabase(), ...options }))
