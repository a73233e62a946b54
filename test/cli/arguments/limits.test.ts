/** Help and the description of the control API say of each list how many it answers by default, and at most. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '../../../client/protocol/control/contract.js'
import { isObject } from '../../../client/protocol/model/json.js'

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, { description: string }>> }>>
}

const words = /^(?:The )?maximum number of [a-z]+ to list \(default [\d,]+, at most [\d,]+/

test('each --limit of a list is worded alike', async () => {
  const manifest = new URL('../../../oclif.manifest.json', import.meta.url)
  const { commands } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest

  const said = Object.entries(commands).flatMap(([id, { flags }]) =>
    flags.limit && id !== 'requests:export' ? [[id, flags.limit.description] as const] : [],
  )

  expect(said.filter(([, description]) => !words.test(description))).toEqual([])
  expect(said.length).toBeGreaterThan(8)
})

test('each limit of the control API is worded alike', () => {
  const said = readLimits(contract)

  expect(said.filter(([, description]) => !words.test(description))).toEqual([])
  expect(said.length).toBeGreaterThan(5)
})

function readLimits(tree: object, name = ''): (readonly [string, string])[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (value instanceof z.ZodObject && key === 'request' && value.shape.limit)
      return [[name, value.shape.limit.description ?? ''] as const]
    return isObject(value) && !(value instanceof z.ZodType) ? readLimits(value, `${name}.${key}`) : []
  })
}
