import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
})
afterAll(() => world.close())

const file = (name: string, content: string) => writeFileSync(join(world.folder, name), content)
const exported = async (collection: string) =>
  (await world.svc(['docs', 'export', collection])).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const sameRows = [
  { name: 'Ada', age: 36, tags: ['a'] },
  { name: 'Bob', ok: true },
]
const forms = {
  'rows.json': JSON.stringify(sameRows),
  'pretty.json': JSON.stringify(sameRows, null, 2),
  'rows.ndjson': sameRows.map((row) => JSON.stringify(row)).join('\n'),
  'windows.jsonl': `\ufeff${sameRows.map((row) => JSON.stringify(row)).join('\r\n')}\r\n`,
  'rows.csv': 'name,age,tags,ok\nAda,36,"[""a""]",\nBob,,,true\n',
  'semicolons.csv': '\ufeffname;age;tags;ok\r\nAda;36;"[""a""]";\r\nBob;;;true\r\n',
}

test.each(Object.entries(forms))('%s is read as what it means, from a file and from stdin', async (name, content) => {
  const collection = `from-${name.replace('.', '-')}`
  file(name, content)

  await world.svc(['docs', 'import', collection, name, '--create'])
  await world.svc(['docs', 'import', collection, '-'], { input: content })

  expect(await exported(collection)).toEqual([...sameRows, ...sameRows])
})

test('a file that several words name is imported once', async () => {
  mkdirSync(join(world.folder, 'named'))
  for (const name of ['new', 'old']) file(`named/${name}.json`, JSON.stringify([{ name }]))
  symlinkSync('new.json', join(world.folder, 'named', 'same.json'))
  const words = ['named/new.json', 'named/*.json', 'named/**', './named/new.json']

  const report = await world.json(['docs', 'import', 'once', '--create', ...words])

  expect(report).toMatchObject({ accepted: 2, files: [{ file: 'named/new.json' }, { file: 'named/old.json' }] })
  expect(await exported('once')).toEqual([{ name: 'new' }, { name: 'old' }])
})

test('integers that a number would change stay text, with a warning on stderr', async () => {
  const big = '12345678901234567890'
  file('big.json', `[{"n":1},{"n":${big}},{"n":${big}}]`)
  file('big.csv', `n\n1\n${big}\n`)
  file('one.json', `{"n":${big}}`)
  const warning = (place: string) => `warning  ${place}: ${big} is too large for a JSON number. It is kept as text.\n`
  await world.svc(['collections', 'create', 'big'])

  const json = await world.svc(['docs', 'import', 'big', 'big.json', '--json'])
  const csv = await world.svc(['docs', 'import', 'big', 'big.csv'])
  const field = await world.svc(['docs', 'create', 'big', `n:=[${big}]`, '--json'])
  const whole = await world.svc(['docs', 'create', 'big', '-f', 'one.json'])
  const exact = await world.svc(['docs', 'create', 'big', 'n:=9007199254740992'])

  expect(json.stderr).toContain(warning('big.json:1'))
  expect(json.stderr.split('warning')).toHaveLength(2)
  expect(csv.stderr).toContain(warning('big.csv:3'))
  expect(field.stderr).toContain(warning('"n"'))
  expect(whole.stderr).toContain(warning('one.json'))
  expect(exact.stderr).not.toContain('warning')
  expect((await exported('big')).map(({ n }) => n)).toEqual([1, big, big, 1, big, [big], big, 9007199254740992])
})

test('how columns of CSV are read can be set', async () => {
  file('typed.csv', 'zip,code,big\n01234,42,12345678901234567890\n99,7,1\n')

  await world.svc(['docs', 'import', 'typed', 'typed.csv', '--create', '--types', 'code:string'])
  const wrong = await world.json(['docs', 'import', 'typed', 'typed.csv', '--types', 'zip:boolean'])

  expect(await exported('typed')).toEqual([
    { zip: '01234', code: '42', big: '12345678901234567890' },
    { zip: 99, code: '7', big: 1 },
  ])
  expect(wrong).toMatchObject({ accepted: 0, refused: 2, refusals: [{ line: 2 }, { line: 3 }] })
})

test('CSV with two columns of one name is refused, since one of them would be lost', async () => {
  file('double.csv', 'a,a,b\n1,2,3\n')

  const ran = await world.svc(['docs', 'import', 'double', 'double.csv', '--create'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('Two columns of "double.csv" are named "a".') })
  expect(await world.json(['docs', 'count', 'double'])).toEqual({ count: 0 })
})

test.each([
  ['gzip', '1f8b0800000000000003'],
  ['a spreadsheet', '504b0304140006000800'],
])('%s is not read as if it were CSV', async (_, bytes) => {
  writeFileSync(join(world.folder, 'packed.csv'), Buffer.from(`${bytes}0a61620a31`, 'hex'))

  const ran = await world.svc(['docs', 'import', 'packed', 'packed.csv', '--create'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('"packed.csv" is packed (gzip or zip).') })
})

test('a type for a column that is not there is refused', async () => {
  file('codes.csv', 'code,name\n42,Ada\n')

  const ran = await world.svc(['docs', 'import', 'codes', 'codes.csv', '--create', '--types', 'cdoe:string'])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringMatching(/no column "cdoe"\.\n.*code, name/) })
})

test('contract 2.4 a column may be called as what every object has', async () => {
  const rows = 'toString,constructor,__proto__\n7,x,\n,,y\n'
  file('own-names.csv', rows)
  file('flags.csv', 'flag\nconstructor\ntrue\n')

  const imported = await world.svc(['docs', 'import', 'own', 'own-names.csv', '--create', '--types', 'toString:string'])
  const seeded = await world.svc(['seed', 'own-names.csv'])
  const flags = await world.json(['docs', 'import', 'flags', 'flags.csv', '--create', '--types', 'flag:boolean'])
  const again = await world.svc(['docs', 'export', 'own', '--format', 'csv'])

  expect([imported.exit, seeded.exit]).toEqual([0, 0])
  expect(again.stdout).toBe(rows)
  expect(flags).toMatchObject({ accepted: 1, refused: 1, refusals: [{ line: 2 }] })
})

test('CSV that is not UTF-8 is refused rather than damaged', async () => {
  writeFileSync(join(world.folder, 'latin.csv'), Buffer.from('name,age\nAda,36\nZoë,20\n', 'latin1'))
  writeFileSync(join(world.folder, 'latin-header.csv'), Buffer.from('näme\nAda\n', 'latin1'))
  file('replaced.csv', 'name\n\ufffd\n')

  const rows = await world.json(['docs', 'import', 'latin', 'latin.csv', '--create'])
  const header = await world.svc(['docs', 'import', 'latin', 'latin-header.csv'])
  await world.svc(['docs', 'import', 'latin', 'replaced.csv'])

  expect(rows).toMatchObject({ accepted: 1, refused: 1, refusals: [{ line: 3, reason: 'is not UTF-8' }] })
  expect(header).toMatchObject({ exit: 5, stderr: expect.stringContaining('"latin-header.csv" is not UTF-8.') })
  expect(await exported('latin')).toEqual([{ name: 'Ada', age: 36 }, { name: '\ufffd' }])
})

test('a line of CSV without a value is reported, and nothing is stored for it', async () => {
  file('empty-lines.csv', '\nname,age\nAda,36\n\n,\nBob,\n\n\n')

  const ran = await world.svc(['docs', 'import', 'no-blanks', 'empty-lines.csv', '--create', '--json'])

  expect(ran.exit).toBe(5)
  expect(JSON.parse(ran.stdout)).toMatchObject({
    accepted: 2,
    refusals: [
      { line: 4, reason: 'has no value' },
      { line: 5, reason: 'has no value' },
    ],
  })
  expect(await exported('no-blanks')).toEqual([{ name: 'Ada', age: 36 }, { name: 'Bob' }])
})

test('one row that is larger than a request stops no other row', async () => {
  const rows = Array.from({ length: 50 }, (_, at) => JSON.stringify({ title: `Row ${at}` }))
  rows[20] = JSON.stringify({ title: 'x'.repeat(11_000_000) })
  rows[21] = JSON.stringify({ title: 'x'.repeat(14_000_000) })
  rows[22] = JSON.stringify({ title: 'x'.repeat(1_100_000) })
  const csv = rows.map((row) => (JSON.parse(row) as { title: string }).title)
  const texts = { ndjson: rows.join('\n'), json: `[${rows.join(',\n')}]`, csv: ['title', ...csv].join('\n') }
  for (const [extension, text] of Object.entries(texts)) {
    file(`huge.${extension}`, text)
    const lines = [21, 22, 23].map((line) => ({ line: line + (extension === 'csv' ? 1 : 0) }))

    const report = await world.json(['docs', 'import', `huge-${extension}`, `huge.${extension}`, '--create'])

    expect(report).toMatchObject({ accepted: 47, refused: 3, refusals: lines })
  }
})

test('a quote that is never closed is reported once, however much follows', async () => {
  const rows = [
    'title,text',
    'first,"closed"',
    'second,"open',
    ...Array.from({ length: 60 }, () => 'x'.repeat(1_000_000)),
  ]
  file('unclosed.csv', rows.join('\n'))

  const report = await world.json(['docs', 'import', 'unclosed', 'unclosed.csv', '--create'])

  expect(report).toMatchObject({ accepted: 1, refused: 1, refusals: [{ reason: expect.stringContaining('too long') }] })
})

test('a wrong quote refuses the row that it is in, and no other', async () => {
  const bad = ['"5" monitor', '"He said "hi" to me"', '5" monitor', '"open']
  const rows = Array.from({ length: 3_000 }, (_, at) => `${at},text ${at}`)
  for (const [at, text] of bad.entries()) rows[1_000 + at * 400] = `${1_000 + at * 400},${text}`
  // Closes the last one.
  rows[2_300] = '2300,"quoted"'
  rows[2_900] = '2900,"in ""quotes"", \n on two lines"'
  file('quotes.csv', ['number,text', ...rows].join('\n'))

  const report = await world.json(['docs', 'import', 'quotes', 'quotes.csv', '--create'])

  expect(report).toMatchObject({
    accepted: 2_896,
    refused: 4,
    refusals: [
      { line: 1_002, reason: 'has quotes that CSV does not allow' },
      { line: 1_402, reason: 'has quotes that CSV does not allow' },
      { line: 1_802, reason: 'has quotes that CSV does not allow' },
      { line: 2_202, reason: 'has quotes that CSV does not allow, up to line 2,302' },
    ],
  })
  const refused = readFileSync(join(world.folder, 'quotes.refused.ndjson'), 'utf8').trim().split('\n')
  expect(JSON.parse(refused[3] ?? '').row.split('\n')).toHaveLength(101)
})

test.each([
  ['in the first line', 'number,"a" text\n1,x\n', 'BAD_HEADER'],
  ['that the first line never closes', 'number,"text\n1,x\n', 'BAD_HEADER'],
])('a wrong quote %s names no columns', async (_, text, code) => {
  file('header.csv', text)

  const ran = await world.svc(['docs', 'import', 'header', 'header.csv', '--create', '--json'])

  expect([ran.exit, JSON.parse(ran.stderr || ran.stdout).error.code]).toEqual([5, code])
})

test('bad rows keep no good row out, and are reported with line and reason', async () => {
  await world.svc(['collections', 'create', 'strict', '--field', 'title:string!'])
  const rows = Array.from({ length: 2_300 }, (_, at) => JSON.stringify({ title: `Row ${at}` }))
  rows[10] = JSON.stringify({ title: 5 })
  rows[20] = '{broken'
  rows[30] = '[1]'
  rows[1_500] = JSON.stringify({ title: 'a\u0000b' })
  rows[2_200] = '{"title":"big","n":1e400}'
  file('strict.ndjson', rows.join('\n'))

  const ran = await world.svc(['docs', 'import', 'strict', 'strict.ndjson', '--json'])

  expect(ran.exit).toBe(5)
  expect(JSON.parse(ran.stdout)).toMatchObject({ accepted: 2_295, refused: 5, refusedFile: 'strict.refused.ndjson' })
  const refused = readFileSync(join(world.folder, 'strict.refused.ndjson'), 'utf8').trim().split('\n')
  expect(refused.map((line) => JSON.parse(line).line)).toEqual([11, 21, 31, 1_501, 2_201])
  expect(await world.json(['docs', 'count', 'strict'])).toEqual({ count: 2_295 })
})

test('what is exported reads back as the same documents', async () => {
  file(
    'odd.ndjson',
    '{"__proto__":1,"id":"x","a.b":null,"text":"\\"quoted\\",\\n\\u00e9","deep":{"list":[1,{"x":true}]}}',
  )
  await world.svc(['docs', 'import', 'odd', 'odd.ndjson', '--create'])

  for (const form of ['ndjson', 'json']) {
    await world.svc(['docs', 'export', 'odd', '--out', `odd-out.${form}`])
    await world.svc(['docs', 'import', `odd-${form}`, `odd-out.${form}`, '--create'])
  }

  const [original] = (await world.svc(['docs', 'export', 'odd'])).stdout.split('\n')
  for (const form of ['ndjson', 'json']) {
    expect((await world.svc(['docs', 'export', `odd-${form}`])).stdout.split('\n')[0]).toBe(original)
  }
  expect(existsSync(join(world.folder, 'odd-out.json.part'))).toBe(false)
})

test('texts in exported CSV are read as what they look like, and with --types as texts, except empty ones', async () => {
  const texts = { code: '42', flag: 'true', tag: 'null', list: '[1]' }
  file('texts.json', JSON.stringify([{ ...texts, note: '' }]))
  await world.svc(['docs', 'import', 'texts', 'texts.json', '--create'])
  await world.svc(['docs', 'export', 'texts', '--out', 'texts.csv'])

  await world.svc(['docs', 'import', 'texts-seen', 'texts.csv', '--create'])
  await world.svc(['docs', 'import', 'texts-typed', 'texts.csv', '--create', '--types', '*:string'])

  expect(await exported('texts-seen')).toEqual([{ code: 42, flag: true, tag: null, list: [1] }])
  expect(await exported('texts-typed')).toEqual([texts])
})

test('an import of stdin needs no folder of settings', async () => {
  file('no-folder', '')
  const env = { SVC_CONFIG_DIR: join(world.folder, 'no-folder', 'svc') }

  const ran = await world.svc(['docs', 'import', 'unkept', '-', '--create'], { env, input: '{"n":1}\n' })

  expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('1 document imported') })
})

test('an import into a collection that is not there says how to create it, beside a name that is near', async () => {
  file('new.ndjson', '{"n":1}\n')

  const none = await world.svc(['docs', 'import', 'qqqqqqqq', 'new.ndjson'])
  const near = await world.svc(['docs', 'import', 'strcit', 'new.ndjson'])

  expect(none).toMatchObject({ exit: 4, stderr: expect.stringContaining('create qqqqqqqq, or pass --create') })
  expect(near).toMatchObject({ exit: 4, stderr: expect.stringContaining('Did you mean "strict"? If not, pass') })
})
