/** Names in the published client are changed after it was minified: what each function means stays. */
import { expect, it } from 'vitest'
import { localNames, withLocalNames } from '../../scripts/local-names.js'

const known = new Set(['f', 'q', 'longer'])

it.each([
  ['parameters and variables', 'function f(e,t){let n=e+t;return n}', 'xyz', 'function f(x,y){let z=x+y;return z}'],
  ['no properties', 'function f(e){return e.e({e:e.t,t(){}})}', 'x', 'function f(x){return x.e({e:x.t,t(){}})}'],
  ['computed ones', 'function f(e,t){return{[e]:t[e]}}', 'xy', 'function f(x,y){return{[x]:y[x]}}'],
  ['shorthands', 'function f({e,t:n=1}){return{e,n}}', 'xe', 'function f({e:x,t:e=1}){return{e:x,n:e}}'],
  ['defaults of shorthands', 'function f({e=2}){return e}', 'x', 'function f({e:x=2}){return x}'],
  ['longer names not', 'function f(e){return longer(ee,e)}', 'x', 'function f(x){return longer(ee,x)}'],
  ['what is outside not', 'function f(e){return q(e)}', 'x', 'function f(x){return q(x)}'],
])('renames %s', (_, before, letters, after) => {
  expect(withLocalNames(before, known, letters)).toBe(after)
})

it.each([
  ['a letter of something outside', 'function f(e){return q(e)}', 'q'],
  ['too few letters', 'function f(e,t){return e+t}', 'x'],
  ['a letter twice', 'function f(e,t){return e+t}', 'xx'],
  ['none', 'function f(e,t){return e+t}', undefined],
])('leaves a function as it is with %s', (_, before, letters) => {
  expect(withLocalNames(before, known, letters)).toBe(before)
})

it('leaves a name that is local in one part of a function and outside in another', () => {
  const before = 'function f(e){return e(q=>q)+q}'

  expect(localNames(before, known).names).toEqual(['e'])
  expect(withLocalNames(before, known, 'x')).toBe('function f(x){return x(q=>q)+q}')
})
