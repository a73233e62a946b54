import { describe, expect, it } from 'vitest'
import { type DialectName, dialects } from '../../../client/protocol/wire/dialects.js'
import { controlRoutes } from '../profiles/emulator-routes.js'
import { routes } from '../routes/index.js'
import { openDescriptions } from './descriptions.js'
import { describeRoutes } from './openapi.js'

interface Described {
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>
  components: Record<string, Record<string, unknown>>
}

const all = [...routes, ...controlRoutes]

describe.each(Object.keys(dialects) as DialectName[])('the description in dialect %s', async (name) => {
  const document = (await describeRoutes(all, dialects[name], '1.0.0')) as unknown as Described
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )

  it('gives every operation a unique name', () => {
    const names = operations.map(({ operationId }) => operationId)

    expect(new Set(names).size).toBe(names.length)
    for (const { id } of all) expect(names).toContain(id)
  })

  it('declares every parameter of every path', () => {
    for (const { path, parameters } of operations) {
      const declared = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name)
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter))
    }
  })

  it('contains no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to)

    expect(references.length).toBeGreaterThan(0)
    for (const to of references) {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(to) ?? []
      expect(document.components, to).toHaveProperty([kind, name])
    }
  })

  it('names the records of a project for generated types', () => {
    const used = [...JSON.stringify(document.paths).matchAll(/components\/schemas\/(\w+)/g)].map(([, name]) => name)

    expect([...new Set(used)].sort()).toEqual(['Collection', 'Document', 'StoredFile', 'User'])
  })

  it('declares for each object whether it accepts other fields, because generators assume not', () => {
    const silent = JSON.stringify(document, (_key, value) =>
      value?.type === 'object' && value.additionalProperties === undefined ? 'silent' : value,
    )

    expect(silent).not.toContain('"silent"')
  })
})

it('contract 10.10 yields to other requests after a few routes', async () => {
  let [turns, isDone] = [0, false]
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }

  setImmediate(count)
  await describeRoutes(all, dialects.a, '1.0.0')
  isDone = true

  expect(turns).toBeGreaterThanOrEqual(Math.floor(all.length / 8) - 1)
})

it('contract 10.12 writes descriptions one at a time, and each dialect once', async () => {
  const begun: string[] = []
  const counted = new Proxy(all, {
    get(routes, name) {
      if (begun.at(-1) !== 'made') begun.push('made')
      return Reflect.get(routes, name)
    },
  })
  const { of } = openDescriptions(counted, '1.0.0')

  const asked = [dialects.a, dialects.b, dialects.b, dialects.c].map(async (dialect) => {
    await of(dialect)
    begun.push('answered')
  })
  await Promise.all(asked)

  expect(begun.slice(0, 4)).toEqual(['made', 'answered', 'made', 'answered'])
  expect(begun.filter((what) => what === 'made')).toHaveLength(3)
})
