/** Values that have broken services of this kind. */
import fc from 'fast-check'
import type { Json } from '../../../client/protocol/model/json.js'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

export const hostileTexts = fc.constantFrom(
  '',
  '\0',
  '\ud800',
  '\u202e',
  '\ufeff',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table documents; --",
  '%',
  '\\',
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'a\r\nset-cookie: x=1',
  'NaN',
  '-0',
  '1e400',
  '99999999999999999999',
  '-9223372036854775809',
  '9999-12-31T23:59:59.999Z',
  '275760-09-13T00:00:00.000Z',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '🍵'.repeat(100),
  'x'.repeat(300),
  'İ',
  'é',
  '(((((((((((a+)+)+)+)+)+)+)+)+)+)+$',
)

const names = fc.oneof(
  fc.constantFrom(
    'a',
    'data',
    'id',
    '$append',
    '$remove',
    '__proto__',
    'constructor',
    'toString',
    'length',
    '',
    'documents',
  ),
  hostileTexts,
)

/** Any JSON, small, of hostile parts. */
export const hostileJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostileTexts,
    fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 2 ** 53, -1e308, 5e-324, 1e21),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value

/** Bodies that are no JSON, or such that a parser chokes on. */
export const hostileBodies: fc.Arbitrary<Buffer> = fc
  .constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '{"a":1e400}',
    '{"a":-}',
    '{"a":01}',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    '{"a":1,"a":2}',
    '\ufeff{}',
    `{"data":${nested(70)}}`,
    nested(5_000),
    nestedObjects(20_000),
    `{"a":"${'x'.repeat(1_100_000)}"}`,
    `{"documents":[${'{},'.repeat(1_001)}{}]}`,
    `{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":0`).join(',')}}`,
    '{"__proto__":{"x":1},"constructor":{"prototype":{}}}',
    '{"$append":{"__proto__":1},"$remove":5}',
    '{"updates":{"__proto__":{"data":{}}}}',
    '{}{}',
    '{"a":/*x*/1}',
  )
  .map((text) => Buffer.from(text))
