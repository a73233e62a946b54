/** The layers for React, Vue and Svelte have the same names, options and results. */
import { expect, expectTypeOf, it } from 'vitest'
import * as react from '../../client/react/index.js'
import * as svelte from '../../client/svelte/index.js'
import * as vue from '../../client/vue/index.js'

interface Schema {
  posts: { title: string }
}
const layers = {
  react: react.createHooks<Schema>(),
  svelte: svelte.createHooks<Schema>(),
  vue: vue.createHooks<Schema>(),
}
type Layers = typeof layers

/** How each framework provides the client. */
const providers = { react: 'SvcProvider', svelte: 'provideClient', vue: 'SvcPlugin' } as const
type Provider = (typeof providers)[keyof typeof providers]

/** Everything else. */
type Hook<Layer extends keyof Layers> = Exclude<keyof Layers[Layer], Provider>

/** Names the results of a hook, without the calls of a Svelte store. */
type Results<Layer extends keyof Layers> = {
  [Name in Hook<Layer>]: Layers[Layer][Name] extends (...args: never[]) => infer Result
    ? Exclude<keyof Result, 'subscribe'>
    : never
}

/** The names of the options in the last parameter, which may be wrapped in a getter or a ref. */
type OptionsOf<Value> = Exclude<Value, ((...args: never[]) => unknown) | { value: unknown } | undefined>
type LastOf<Args extends readonly unknown[]> = Required<Args> extends readonly [...unknown[], infer Last] ? Last : never
type Options<Layer extends keyof Layers> = {
  [Name in Hook<Layer>]: Layers[Layer][Name] extends (...args: infer Args) => unknown
    ? Exclude<keyof OptionsOf<LastOf<Args>>, 'suspense'>
    : never
}

it('has the same functions in each framework, beside the one that provides the client', () => {
  const names = Object.entries(layers).map(([layer, hooks]) =>
    Object.keys(hooks)
      .filter((name) => name !== providers[layer as keyof Layers])
      .sort(),
  )

  expect(names[1]).toEqual(names[0])
  expect(names[2]).toEqual(names[0])
})

it('has the same options and results in each framework, beside the suspense of React', () => {
  expectTypeOf<Results<'vue'>>().toEqualTypeOf<Results<'react'>>()
  expectTypeOf<Results<'svelte'>>().toEqualTypeOf<Results<'react'>>()
  expectTypeOf<Options<'vue'>>().toEqualTypeOf<Options<'react'>>()
  expectTypeOf<Options<'svelte'>>().toEqualTypeOf<Options<'react'>>()
  // Without names, the comparisons above would hold for anything.
  expectTypeOf<Options<'react'>['useLive']>().toEqualTypeOf<
    'where' | 'sort' | 'limit' | 'offset' | 'populate' | 'select'
  >()
  expectTypeOf<Results<'react'>['usePage']>().toEqualTypeOf<
    ('items' | 'total' | 'page' | 'pageCount' | 'isLoading' | 'error') | ('goTo' | 'next' | 'previous' | 'reload')
  >()
})

it('takes the same options for the client', () => {
  type OfReact = Exclude<keyof Parameters<Layers['react']['SvcProvider']>[0], 'client' | 'children'>
  expectTypeOf<keyof vue.ProviderOptions>().toEqualTypeOf<OfReact>()
  expectTypeOf<keyof svelte.ProviderOptions>().toEqualTypeOf<OfReact>()
})
