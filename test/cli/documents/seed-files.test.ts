/** Which files are seeds, and their format. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../command-line.js'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, fields } = seeds

test('seeds may have comments, with collections and without', async () => {
  const one = file(
    `${seeds.own}one.json`,
    `{"collections": {\n// the first\n"${seeds.own}one": {"documents": [{"a": 1}]}\n}}`,
  )
  const two = file(`${seeds.own}two.json`, '[\n// the first\n{"a": 1 /* why */ },\n{"a": 2}\n]')

  const planted = await seeds.world.json(['seed', one, two])

  expect(planted).toMatchObject([{ created: 1 }, { created: 2 }])
  expect(await fields(`${seeds.own}two`)).toEqual([{ a: 1 }, { a: 2 }])
})

test('integers of a seed that a number would change stay text, with a warning on stderr', async () => {
  const big = '12345678901234567890'
  const name = `${seeds.own}large`
  const one = file(`${name}-file.json`, `{"collections": {"${name}": {"documents": [{"a": ${big} /* "1" */}]}}}`)
  const two = file(`${name}2.json`, `[\n// "the first\n{"a": ${big}}\n]`)

  const { stderr } = await seeds.world.svc(['seed', one, two])

  for (const place of [one, two]) {
    expect(stderr).toMatch(new RegExp(`warning {2}.*${place}.*: ${big} is too large for a JSON number`))
  }
  expect(await fields(name)).toEqual([{ a: big }])
  expect(await fields(`${name}2`)).toEqual([{ a: big }])
})

test('a pattern names files of folders with brackets in their names', async () => {
  file(`${seeds.own}[id]/(group)/${seeds.own}cities.csv`, 'name\nBern\n')

  const planted = await seeds.world.json(['seed', `${seeds.own}[id]/**/*.csv`])

  expect(planted).toMatchObject([{ collection: `${seeds.own}cities`, created: 1 }])
})

test('without files it takes seed.json and seeds/, and says so where there is nothing', async () => {
  const other = await openWorld()
  const { url, apiKey } = await seeds.world.json(['status']).then((status) => status as { url: string; apiKey: string })
  const env = { SVC_URL: url, SVC_API_KEY: apiKey }
  const nothing = await other.svc(['seed'], { env })
  mkdirSync(join(other.folder, 'seeds'))
  writeFileSync(join(other.folder, 'seed.json'), `{"collections":{"${seeds.own}one":{"documents":[{"a":1}]}}}`)
  writeFileSync(join(other.folder, 'seeds', `${seeds.own}two.csv`), 'a\n1\n2\n')

  const planted = await other.json(['seed'], { env })

  expect(nothing).toMatchObject({ exit: 2, stderr: expect.stringContaining('No seed files found') })
  expect(planted).toMatchObject([
    { collection: `${seeds.own}one`, created: 1 },
    { collection: `${seeds.own}two`, created: 2 },
  ])
  await other.close()
})
