import { expect, test } from 'vitest'
import { formatCsv, readRows } from './csv.js'

test('reads rows from JSON, NDJSON, CSV and spreadsheet cells', async () => {
  const rows = [
    { title: 'Hello, "you"', views: 1 },
    { title: 'Two\nlines', views: 2 },
  ]

  expect(await readRows(JSON.stringify(rows))).toEqual(rows)
  expect(await readRows(rows.map((row) => JSON.stringify(row)).join('\n'))).toEqual(rows)
  expect(await readRows(await formatCsv(rows))).toEqual(rows)
  expect(await readRows('title\tviews\nHello\t1\n')).toEqual([{ title: 'Hello', views: 1 }])
  expect(await readRows('title;views\r\nHello;1,5\r\n')).toEqual([{ title: 'Hello', views: '1,5' }])
  expect(await readRows('{"one": 1}')).toEqual([{ one: 1 }])
  expect(await readRows('  ')).toEqual([])
})

test('reads a cell as a number, boolean, null, list or object only in JSON notation', async () => {
  const [row] = await readRows('a,b,c,d,e,f,g\n007,1e3,true,null,"[1,2]","{""x"":1}",=1+1\n')

  expect(row).toEqual({ a: '007', b: '1e3', c: true, d: null, e: [1, 2], f: { x: 1 }, g: '=1+1' })
})

test('keeps an integer as text if a number would change it, and reports it', async () => {
  const big = '12345678901234567890'
  const kept: string[] = []
  const read = (text: string) => readRows(text, (literal) => kept.push(literal))

  expect(await read(`[{"id":${big}}]`)).toEqual([{ id: big }])
  expect(await read(`{"id":${big}}\n{"id":1}`)).toEqual([{ id: big }, { id: 1 }])
  expect(await read(`id,list\n${big},"[${big}]"\n`)).toEqual([{ id: big, list: [big] }])
  expect(kept).toEqual(Array.from({ length: 4 }, () => big))
})

test('skips empty cells, also at the end of a row, like svc docs import', async () => {
  expect(await readRows('a,b,c\n1,,\n,"",x\n')).toEqual([{ a: 1 }, { c: 'x' }])
  expect(await readRows('a\tb\r\n1\t\r\n\t\r\n')).toEqual([{ a: 1 }])
  expect(await readRows('a\tb\n1\t')).toEqual([{ a: 1 }])
  await expect(readRows('a,b\n1,2\n,\n3,4\n')).rejects.toThrow('Row 2 has no value.')
})

test('reports the position of an invalid document', async () => {
  await expect(readRows('[1]')).rejects.toThrow('Document 1 is not an object.')
  await expect(readRows('{"a": 1}\n{"a":')).rejects.toThrow('Line 2')
  await expect(readRows('a,b\n1\n')).rejects.toThrow('line 2')
})

test('accepts columns with names of object properties', async () => {
  expect(await formatCsv([JSON.parse('{"constructor": 1, "__proto__": 2}'), { title: 'Hello' }])).toBe(
    'constructor,__proto__,title\r\n1,2,\r\n,,Hello\r\n',
  )
})
