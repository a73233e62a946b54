/** Settings of a project that are changed concurrently. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { changeProject } from '../../../emulator/core/projects/projects.js'
import { requireProject } from '../../../emulator/core/projects/require-project.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

describe.each(engines)('on %s', (engine) => {
  it('two changes at once are both kept', async () => {
    const databaseUrl = engine === 'postgres' ? await server.newDatabase() : undefined
    const { backend, project, close } = await openService({ ...defaultConfig, memory: true, databaseUrl })

    await Promise.all([
      changeProject(backend, project.id, { selfRoles: ['reader'] }),
      changeProject(backend, project.id, { allowedOrigins: ['https://app.example.com'] }),
      changeProject(backend, project.id, { tier: 'pro' }),
    ])

    const { settings } = await requireProject(backend, project.id)
    await close()
    expect(settings).toMatchObject({
      selfRoles: ['reader'],
      allowedOrigins: ['https://app.example.com'],
      tier: 'pro',
    })
  })

  it('what is refused changes nothing', async () => {
    const databaseUrl = engine === 'postgres' ? await server.newDatabase() : undefined
    const { backend, project, close } = await openService({ ...defaultConfig, memory: true, databaseUrl })

    await expect(changeProject(backend, project.id, { selfRoles: ['reader'], rateLimit: [] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    await expect(changeProject(backend, 'nowhere', { tier: 'pro' })).rejects.toMatchObject({ code: 'NOT_FOUND' })

    const { settings } = await requireProject(backend, project.id)
    await close()
    expect(settings).toEqual(project.settings)
  })
})
