/** The requests that `svc parity` sends to the emulator while it looks for advice. */
import { expect, test } from 'vitest'
import { type Capability, capabilities, type ParityCase } from '../../cli/parity/case.js'
import { chooseCases } from '../../cli/parity/choose-cases.js'
import { runParity } from '../../cli/parity/run-parity.js'
import { openSide } from '../../cli/parity/side.js'
import { controlOf } from '../fixtures/events.js'
import { leftFolder, newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'

const can: ReadonlySet<Capability> = new Set(capabilities)

async function prove(group: string, ids: RegExp, dialects: { readonly [S in 'here' | 'there']: string }) {
  const [here, there] = await Promise.all([newSharedProject('here'), newSharedProject('there')])
  const speak = (side: SharedProject, dialect: string) =>
    controlOf(side).projects.update({ project: side.projectId, settings: { dialect } })
  await Promise.all([speak(here, dialects.here), speak(there, dialects.there)])
  const tried: string[] = []
  const countingFetch: typeof fetch = (url, options) => {
    const dialect = new Headers(options?.headers).get('svc-dialect')
    if (dialect !== null) tried.push(dialect)
    return fetch(url, options)
  }
  const openStage = ({ url, secretKey: key }: SharedProject, name: 'here' | 'there') => {
    let number = 0
    return {
      ...{ run: 'm1advice', signal: AbortSignal.timeout(120_000), fixtures: new Map(), next: () => ++number },
      side: openSide({ name, url, key, ownerKey: key, fetch: countingFetch }),
    }
  }
  const cases = chooseCases(await leftFolder(), group).filter(({ id }) => ids.test(id))
  const stages = { here: openStage(here, 'here'), there: openStage(there, 'there') }
  const { advice, findings } = await runParity(cases, { ...stages, can, dialect: dialects.here })
  return { cases, advice, findings, tried }
}

test('a form that cannot win is not asked for every case, and no form is asked twice for one', async () => {
  const { cases, advice, findings, tried } = await prove('filters', /-(eq|contains)$/, {
    here: 'd',
    there: 'd, filters=both',
  })

  const calls = (some: readonly ParityCase[]) => some.reduce((sum, { steps }) => sum + steps.length, 0)
  const countOf = (form: string) => tried.filter((dialect) => dialect === `d, filters=${form}`).length
  expect(advice).toMatchObject({ forms: ['filters=both'], mends: { size: findings.length } })
  expect(findings.length).toBeLessThan(cases.length)
  for (const wrong of ['double', 'single']) expect(countOf(wrong)).toBeLessThan(calls(cases))
  expect(countOf('both')).toBeLessThanOrEqual(calls(cases))
})

test('a subject without an axis is explained by the axes that can reach its requests', async () => {
  const { advice, tried } = await prove('bodies', /./, { here: 'd', there: 'd, refusals=deployed' })

  const axes = new Set(tried.map((dialect) => /^d, (\w+)=/.exec(dialect)?.[1]))
  expect(advice).toMatchObject({ forms: ['refusals=deployed'], mends: { size: 2 } })
  expect([...axes]).toEqual(['paths', 'document', 'body', 'record', 'refusals'])
})
