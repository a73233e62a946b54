/** Cases that every adapter of `ports/limits` must pass. */
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../emulator/ports/limits/port.js'

let names = 0
const aReservation = (changes: object = {}) => ({
  ...{ name: `key ${++names}`, window: 7, seconds: 60, most: 10, requested: 4 },
  ...changes,
})

export function limitsCases(adapter: string, limits: () => Limits): void {
  describe(`limits in ${adapter}`, () => {
    it('grant what is requested, then what is left, then nothing', async () => {
      const reservation = aReservation()
      const reserve = () => limits().reserve(reservation)

      expect(await reserve()).toEqual({ granted: 4, reserved: 4 })
      expect(await reserve()).toEqual({ granted: 4, reserved: 8 })
      expect(await reserve()).toEqual({ granted: 2, reserved: 10 })
      expect(await reserve()).toEqual({ granted: 0, reserved: 10 })
    })

    it('never grant more than is allowed, however many ask at once', async () => {
      const reservation = aReservation({ most: 100, requested: 3 })

      const all = await Promise.all(Array.from({ length: 60 }, () => limits().reserve(reservation)))

      expect(all.reduce((sum, { granted }) => sum + granted, 0)).toBe(100)
      expect(Math.max(...all.map(({ reserved }) => reserved))).toBe(100)
    })

    it('begin anew with each window, and count each name by itself', async () => {
      const reservation = aReservation({ requested: 10 })
      await limits().reserve(reservation)

      expect(await limits().reserve({ ...reservation, window: 8 })).toEqual({ granted: 10, reserved: 10 })
      expect(await limits().reserve(aReservation({ requested: 10 }))).toEqual({ granted: 10, reserved: 10 })
    })

    it('obey a limit that is raised or lowered meanwhile', async () => {
      const reservation = aReservation({ requested: 10 })
      await limits().reserve(reservation)

      expect(await limits().reserve({ ...reservation, most: 5 })).toEqual({ granted: 0, reserved: 10 })
      expect(await limits().reserve({ ...reservation, most: 15 })).toEqual({ granted: 5, reserved: 15 })
    })

    it('reserve at least one at once, and no more than is left', () => {
      for (const left of [1, 2, 7, 100, 1_000_000]) {
        expect(limits().sliceSize(left)).toBeGreaterThanOrEqual(1)
        expect(limits().sliceSize(left)).toBeLessThanOrEqual(left)
      }
    })
  })
}
