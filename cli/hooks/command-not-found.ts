import type { Hook } from '@oclif/core/hooks'
import { misuse } from '../failure.js'
import { nearest } from '../nearest.js'

/** Says which command was probably meant. It never asks: the same words must do in a script. */
const commandNotFound: Hook.CommandNotFound = async ({ id, argv, config }) => {
  const words = id.split(':')
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(':', ' '))
  const typed = words.join(' ')
  const [topic = ''] = words
  const siblings = known.filter((name) => name.startsWith(`${topic} `))
  const meant =
    nearest(typed, known) ?? nearest([...words, argv?.[0] ?? ''].join(' '), known) ?? nearestTopic(words, known)
  if (meant) throw misuse(`There is no command "${typed}".`, `Did you mean "${config.bin} ${meant}"?`)
  if (siblings.length > 0)
    throw misuse(`There is no command "${typed}".`, `In "${topic}" there are: ${siblings.join(', ')}`)
  throw misuse(`There is no command "${typed}".`, `See what there is: ${config.bin} --help`)
}

/** `doc list` and `collection list` mistake the topic only. */
function nearestTopic([first = '', ...rest]: readonly string[], known: readonly string[]): string | undefined {
  const topic = nearest(first, [...new Set(known.map((name) => name.split(' ', 1)[0] ?? name))])
  return topic && nearest([topic, ...rest].join(' '), known)
}

export default commandNotFound
