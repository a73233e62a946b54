import { expect, test } from 'vitest'
import { inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Names of filtered fields', (wire) => {
  test('contract 4.2 eq is a suffix for fields named as a parameter or ending like a suffix', async () => {
    const field = `rank${wire.mark}in`
    const { posts } = await someDocuments(wire, [
      { name: 'one', limit: 5, [field]: 'x' },
      { name: 'two', limit: 6, [field]: 'y' },
    ])

    expect(await posts.names(`limit${wire.mark}eq=5`)).toEqual(['one'])
    expect(await posts.names(`${field}${wire.mark}eq=y`)).toEqual(['two'])
    expect(await posts.names(`name__or__limit${wire.mark}eq=6`)).toEqual(['two'])
  })

  test('contract 4.4 a dot leads into a nested field, never to a field with a dot in its name', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'nested', a: { b: 1 } },
      { name: 'flat', 'a.b': 1 },
    ])

    expect(await posts.names('a.b=1')).toEqual(['nested'])
    expect(await posts.names(`a.b${wire.mark}isnull=true`)).toEqual(['flat'])
  })
})
