/** The usage lines of the help. */
import { fileURLToPath } from 'node:url'
import { CommandHelp, Config } from '@oclif/core'
import { expect, test } from 'vitest'

test('no usage line offers an empty choice, which oclif prints for flags that exclude each other in more than one way', async () => {
  const config = await Config.load({ root: fileURLToPath(new URL('../../..', import.meta.url)) })
  const usages = config.commands.map((command) => {
    const help = new CommandHelp(command, config, { maxWidth: 120 }).generate()
    return help.slice(help.indexOf('USAGE'), help.search(/^(ARGUMENTS|FLAGS)/m))
  })

  expect(usages.length).toBeGreaterThan(50)
  expect(usages.filter((usage) => /\|\s*[|\]]/.test(usage))).toEqual([])
})
