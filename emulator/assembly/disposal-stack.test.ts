import { expect, it, vi } from 'vitest'
import { openInOrder } from './disposal-stack.js'

function aClosable(name: string, closed: string[], failure?: Error) {
  return {
    name,
    async close() {
      closed.push(name)
      if (failure) throw failure
    },
  }
}

it('closes in reverse order, and once', async () => {
  const closed: string[] = []
  const opened = await openInOrder(async (stack) => {
    stack.use(aClosable('database', closed))
    stack.defer(() => closed.push('bus'))
    return { port: 3000 }
  })

  await Promise.all([opened.close(), opened.close()])

  expect([opened.port, closed]).toEqual([3000, ['bus', 'database']])
})

it('closes the two that are open in reverse order when opening the third fails', async () => {
  const closed: string[] = []

  const opening = openInOrder(async (stack) => {
    stack.use(aClosable('database', closed))
    stack.use(aClosable('bus', closed, new Error('bus')))
    throw new Error('port in use')
  })

  await expect(opening).rejects.toThrow('port in use')
  expect(closed).toEqual(['bus', 'database'])
})

it('closes the rest after a close fails, and throws the error at the end', async () => {
  const closed: string[] = []
  const failure = new Error('bus')
  const { close } = await openInOrder(async (stack) => {
    stack.use(aClosable('database', closed))
    stack.use(aClosable('bus', closed, failure))
    stack.use(aClosable('server', closed))
    return {}
  })

  await expect(close()).rejects.toBe(failure)
  expect(closed).toEqual(['server', 'bus', 'database'])
})

it('throws the errors of several closes together', async () => {
  const later = vi.fn()
  const { close } = await openInOrder(async (stack) => {
    stack.use(aClosable('database', [], new Error('database')))
    stack.defer(later)
    stack.use(aClosable('bus', [], new Error('bus')))
    return {}
  })

  await expect(close()).rejects.toMatchObject({ errors: [new Error('bus'), new Error('database')] })
  expect(later).toHaveBeenCalledOnce()
})
