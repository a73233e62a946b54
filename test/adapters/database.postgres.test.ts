import { afterAll } from 'vitest'
import { openPostgres } from '../../emulator/database/postgres/postgres.js'
import { startPostgres } from '../fixtures/databases/postgres.js'
import { databaseCases } from './database.cases.js'

const server = await startPostgres()
afterAll(() => server.stop())

databaseCases('PostgreSQL', async (options) => openPostgres({ url: await server.newDatabase(), ...options }))
