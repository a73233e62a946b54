import { describe, expect, it } from 'vitest'
import type { RateLimit } from '../../../client/protocol/model/limits.js'
import { openMemoryLimits } from '../../ports/limits/memory-limits.js'
import { openRateLimiter } from './rate-limit.js'

function limiterAt(start: string) {
  let at = new Date(start).getTime()
  const limiter = openRateLimiter(openMemoryLimits())
  return {
    count: (rateLimit: RateLimit, key = 'one') => limiter.count(key, { rateLimit, tier: 'pro' }, new Date(at)),
    wait: (seconds: number) => {
      at += seconds * 1_000
    },
  }
}

describe('LIM-01 LIM-02: the rate limit', () => {
  it('counts nothing when it is off, or when the tier has no figure', async () => {
    const { count } = limiterAt('2026-01-01T00:00:00Z')

    expect(await count('off')).toBeUndefined()
    expect(await count([])).toBeUndefined()
    expect(await count({})).toBeUndefined()
  })

  it('refuses a request over the limit, and serves again in the next window', async () => {
    const { count, wait } = limiterAt('2026-01-01T00:00:10Z')
    await count({ minute: 2 })
    await count({ minute: 2 })

    expect(await count({ minute: 2 })).toMatchObject({ limit: 2, remaining: 0, retryAfterSeconds: 50 })
    wait(50)
    expect(await count({ minute: 2 })).toMatchObject({ remaining: 1, retryAfterSeconds: undefined })
  })

  it('reports the window with the fewest requests left, and when it ends', async () => {
    const { count } = limiterAt('2026-01-01T00:00:00Z')

    expect(await count({ minute: 100, hour: 5 })).toMatchObject({ limit: 5, remaining: 4, resetSeconds: 1_767_229_200 })
  })

  it('uses the limits of the tier for named windows', async () => {
    const { count } = limiterAt('2026-01-01T00:00:00Z')

    expect(await count(['minute', 'day'])).toMatchObject({ limit: 1_000, remaining: 999 })
  })

  it('does not count a refused request in the windows that had room', async () => {
    const { count, wait } = limiterAt('2026-01-01T00:00:00Z')
    for (let request = 0; request < 5; request++) await count({ minute: 1, hour: 10 })
    wait(60)

    expect(await count({ hour: 10 })).toMatchObject({ remaining: 8 })
  })

  it('counts each key separately', async () => {
    const { count } = limiterAt('2026-01-01T00:00:00Z')
    await count({ minute: 1 }, 'one')

    expect(await count({ minute: 1 }, 'other')).toMatchObject({ retryAfterSeconds: undefined })
  })

  it('stays small however many keys there are', async () => {
    const limiter = openRateLimiter(openMemoryLimits(2), 2)
    const now = new Date(0)
    const rules = { rateLimit: { minute: 1 }, tier: 'pro' } as const
    for (const key of ['one', 'two', 'three']) await limiter.count(key, rules, now)

    expect(await limiter.count('one', rules, now)).toMatchObject({ retryAfterSeconds: undefined })
    expect(await limiter.count('three', rules, now)).toMatchObject({ retryAfterSeconds: 60 })
  })
})
