/** The external systems that the emulator simulates. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { Opened } from './opened.js'

export function simulationCases(opened: Opened): void {
  it('the clock', async () => {
    const { control } = opened
    const { now } = await control.clock.change({ now: '2040-02-29T12:00:00+01:00' })
    const { offset } = await control.clock.change({ advance: 60_000 })
    const shown = await control.clock.get()
    await control.clock.reset()

    expect(now).toMatch(/^2040-02-29T11:00:/)
    expect(shown.offset).toBe(offset)
  })

  it('the clock of a project', async () => {
    const { control } = opened
    const { project } = await control.info.get()
    const moved = await control.clock.ofProject.change({ project: project.id, now: '2040-02-29T12:00:00+01:00' })
    const shown = await control.clock.ofProject.get({ project: project.id })
    const { offset } = await control.clock.ofProject.reset({ project: project.id })

    expect([moved.offset, offset]).toEqual([shown.offset, 0])
    await expect(control.clock.ofProject.get({ project: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('a clock at which nothing could be written is refused', async () => {
    const { control, emulator } = opened
    const project = emulator.projectId
    const refusal = {
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^A clock cannot be set to the year .*\. Use a year from 1970 to 9998\.$/),
    }
    const centuries = (count: number) => count * 100 * 365 * 86_400_000

    for (const now of ['1969-12-31T23:59:59Z', '9999-01-01T00:00:00Z', '1970-01-01T00:00:00+01:00']) {
      await expect(control.clock.change({ now })).rejects.toMatchObject(refusal)
      await expect(control.clock.ofProject.change({ project, now })).rejects.toMatchObject(refusal)
    }
    await expect(control.clock.change({ advance: centuries(-1) })).rejects.toMatchObject(refusal)
    await control.clock.change({ now: '9950-01-01T00:00:00Z' })
    await expect(control.clock.change({ advance: centuries(1) })).rejects.toMatchObject(refusal)
    const shown = await control.clock.get()
    await control.clock.reset()

    expect(shown.now).toMatch(/^9950-01-01T/)
    expect(await control.clock.ofProject.get({ project })).toMatchObject({ offset: 0 })
  })

  it('a document is written at either end of what a clock can be', async () => {
    const { control, emulator } = opened
    const owner = createClient({ url: emulator.url, apiKey: emulator.secretKey })
    await owner.collections.create({ name: 'ends' })

    for (const now of ['1970-01-01T00:00:00.000Z', '9998-12-31T00:00:00.000Z']) {
      await control.clock.change({ now })
      const { createdAt, id } = await owner.collection('ends').create({ n: 1 })
      expect(createdAt.slice(0, 10)).toBe(now.slice(0, 10))
      expect((await owner.collection('ends').get(id)).data).toEqual({ n: 1 })
    }
    await control.clock.reset()
    await owner.collections.delete('ends')
  })

  it('the built-in identity provider', async () => {
    const { control, emulator } = opened
    const account = 'mary'
    await control.idp.accounts.add({ id: account, claims: { locale: 'en' } })
    const changed = await control.idp.accounts.change({ account, email: null })
    const { accounts } = await control.idp.accounts.list()
    await control.idp.accounts.remove({ account })
    await control.idp.faults.set({ fault: 'slow', times: null })
    const { faults } = await control.idp.faults.set({ fault: 'down', client: 'shop' })
    await control.idp.faults.list()
    const cleared = await control.idp.faults.clear({ client: 'shop' })
    const completeUrl = 'http://127.0.0.1:1/done'
    const { url } = await control.idp.logins.start({ project: emulator.projectId, completeUrl })

    const { flows } = await control.idp.flows.list({ project: emulator.projectId })

    expect(flows[0]).toMatchObject({ project: emulator.projectId, outcome: null })
    expect(flows[0]?.hops).toMatchObject([{ kind: 'start', status: 200, request: { completeUrl } }])
    expect(changed).toMatchObject({ name: account, email: null, claims: { locale: 'en' } })
    expect(accounts).toContainEqual(changed)
    expect(faults).toHaveLength(2)
    expect(cleared.faults).toEqual([{ fault: 'slow', times: null }])
    expect(url).toContain('/_svc/idp/authorize?')
  })

  it('faults, alone and as a preset', async () => {
    const { control, emulator } = opened
    const { projectId: project } = emulator
    const added = await control.faults.add({ kind: 'status', status: 503, rate: 0.5, project, path: '/nowhere' })
    const { faults: flaky } = await control.faults.addPreset({ preset: 'flaky', project, path: '/nowhere', seed: 9 })
    const { faults } = await control.faults.list({ project })
    const removed = await control.faults.remove({ fault: added.id })
    const { count } = await control.faults.clear({ project })

    expect(added).toMatchObject({ kind: 'status', rate: 0.5, seed: 1, seen: 0, hits: 0, preset: null })
    expect(flaky.map(({ kind, preset, seed }) => [kind, preset, seed])).toContainEqual(['drop', 'flaky', 9])
    expect(faults).toEqual([added, ...flaky])
    expect([removed, count]).toEqual([{ id: added.id }, flaky.length])
    await expect(control.faults.remove({ fault: added.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(control.faults.add({ kind: 'drop', project: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
}
