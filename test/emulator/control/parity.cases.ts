/** Reports of `svc parity run`, which the emulator reads from its folder, and the differences that a developer accepts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { ParityReport } from '../../../client/protocol/control/parity.js'
import type { Opened } from './opened.js'

const run = 'm1x2y3z4run'
const finding = { id: 'keys.wrong', part: 'status' } as const
const report: ParityReport = {
  ...{ run, at: '2026-11-20T10:00:00.000Z', url: 'https://api.example.com', from: '--url', dialect: 'd', calls: 4 },
  ...{ score: 0.5, coverage: 1, facts: [], requests: null, advice: null, left: [], stopped: null },
  cases: [
    { id: 'keys.right', axis: 'keys', result: 'same' },
    { id: 'keys.wrong', axis: 'keys', result: 'differs' },
  ],
  findings: [
    {
      ...{ ...finding, axis: 'keys', level: 'breaks', here: 401, there: 400, mendedBy: null, accepted: null, uses: [] },
      ...{ change: 'Treat both alike.', exchanges: { here: [], there: [] } },
    },
  ],
}

/** @param opened with the state folder of the emulator */
export function parityCases(opened: Opened & { readonly stateFolder: string }): void {
  it('a parity run is listed, and a difference that is accepted no longer counts as breaking', async () => {
    const { control, stateFolder } = opened
    const folder = join(stateFolder, 'parity', run)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'report.json'), JSON.stringify(report))
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const accept = (until: string) => control.parity.accept({ ...finding, reason: 'Known.', until })

    const before = await control.parity.list()
    const tooLate = await accept('2999-01-01').catch(({ code }) => code)
    const { lockFile } = await accept(until)
    const after = await control.parity.list()
    const { report: shown } = await control.parity.get({ run })
    const missing = await control.parity.get({ run: 'm1x2y3z4none' }).catch(({ code }) => code)

    const listed = { run, at: report.at, url: report.url, score: 0.5, coverage: 1 }
    expect([before, after]).toEqual([1, 0].map((breaks) => ({ runs: [{ ...listed, breaks }] })))
    expect([tooLate, missing]).toEqual(['VALIDATION_ERROR', 'NOT_FOUND'])
    expect(shown.findings[0]?.accepted).toEqual({ reason: 'Known.', until })
    expect(lockFile).toBe(join(dirname(stateFolder), 'parity.lock.json'))
    expect(JSON.parse(await readFile(lockFile, 'utf8'))).toEqual({
      accepted: [{ ...finding, reason: 'Known.', until }],
    })
  })

  it('differences that are accepted at the same time are all kept', async () => {
    const { control, stateFolder } = opened
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => `keys.${name}`)

    await Promise.all(ids.map((id) => control.parity.accept({ id, part: 'status', reason: 'Known.', until })))

    const { accepted } = JSON.parse(await readFile(join(dirname(stateFolder), 'parity.lock.json'), 'utf8'))
    expect(accepted.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(ids))
  })
}
