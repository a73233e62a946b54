/** Saved runs of `svc parity`, for the page Parity. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { ParityReport } from '../../client/protocol/control/parity.js'
import { calculateScore } from '../../client/protocol/model/parity.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

type Finding = ParityReport['findings'][number]

function aFinding(id: string, level: Finding['level'], more: Partial<Finding> = {}): Finding {
  const exchange = (status: number, answer: string) => [
    { request: 'curl -X GET http://127.0.0.1:1/collections/posts/documents?title__eq=tea', status, answer },
  ]
  return {
    ...{ id, axis: id.split('.')[0] ?? '', level, part: 'status', here: 401, there: 400, mendedBy: null },
    ...{ change: 'Treat 400 and 401 alike.', accepted: null },
    uses: [{ method: 'GET', path: '/collections/posts/documents?title=tea', requests: 9 }],
    exchanges: { here: exchange(200, '[{"title":"from here"}]'), there: exchange(400, '{"detail":"from there"}') },
    ...more,
  }
}

/** @param folder the project's, with the state folder `.svc` */
function saveRun(folder: string, run: string, at: string, findings: readonly Finding[]): void {
  const cases = [
    ...findings.map(({ id, axis }) => ({ id, axis, result: 'differs' as const })),
    ...[1, 2, 3].map((one) => ({ id: `list.${one}`, axis: 'list', result: 'same' as const })),
    { id: 'put.one', axis: 'put', result: 'not tried' as const, why: 'It writes.' },
  ]
  const report: ParityReport = {
    ...{ run, at, url: 'https://api.example.com', from: 'profile staging', dialect: 'a', calls: 40, facts: [], cases },
    ...{ ...calculateScore(cases), findings, requests: { all: 74, tried: 71 }, left: [], stopped: null },
    advice: {
      dialect: 'a, put=merge',
      forms: ['put=merge'],
      command: "svc project set dialect='a, put=merge'",
      mends: 1,
      breaks: [],
    },
  }
  mkdirSync(join(folder, '.svc', 'parity', run), { recursive: true })
  writeFileSync(join(folder, '.svc', 'parity', run, 'report.json'), JSON.stringify(report))
}

/** Opens worlds whose project has an older and a newer run. Call it once in a file, outside of tests. */
export function worldsWithRuns(): () => Promise<DashboardWorld & { readonly folder: string }> {
  const folders: string[] = []
  // Hooks run in reverse order: a world is closed before its folder is removed.
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  const openWorld = worldsOfFile()
  return async () => {
    const folder = makeFolderWithRuns()
    folders.push(folder)
    return { ...(await openWorld({ dir: join(folder, '.svc') })), folder }
  }
}

function makeFolderWithRuns(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-parity-runs-'))
  saveRun(folder, 'm1x2y3z4old', '2026-11-20T10:00:00.000Z', [aFinding('keys.wrong', 'minor')])
  saveRun(folder, 'm1x2y3z5new', '2026-11-28T10:00:00.000Z', [
    aFinding('filters.double-or', 'breaks', { mendedBy: 'put=merge', change: null }),
    aFinding('keys.wrong', 'minor'),
  ])
  return folder
}
