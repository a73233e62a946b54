import { expect, it } from 'vitest'
import { openMemoryLimits } from '../../emulator/ports/limits/memory-limits.js'
import { limitsCases } from './limits.cases.js'

const limits = openMemoryLimits()
limitsCases('memory', () => limits)

it('of more windows than that at once, the oldest begin again', async () => {
  const few = openMemoryLimits(2)
  const reserve = (name: string) => few.reserve({ name, window: 1, seconds: 60, most: 1, requested: 1 })
  for (const name of ['one', 'two', 'three']) await reserve(name)

  expect(await reserve('three')).toMatchObject({ granted: 0 })
  expect(await reserve('one')).toMatchObject({ granted: 1 })
})
