import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settingWords } from '../../client/protocol/model/project.js'

it('the page of settings describes every setting, in the words of the help, and no other', () => {
  const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')

  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, words]) => [name, words])

  expect(rows).toEqual(Object.entries(settingWords))
})
