import type { Hook } from '@oclif/core/hooks'
import { misuse } from '../failure.js'
import { nearest } from '../nearest.js'

/** Says which command was probably meant. It never asks: the same words must do in a script. */
const commandNotFound: Hook.CommandNotFound = async ({ id, argv, config }) => {
  const words = id.split(':')
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(':', ' '))
  const topic = topicOf(words, known)
  const siblings = known.filter((name) => name.startsWith(`${topic} `))
  // What follows a topic counts as words of the command, so that arguments look like words of it too.
  const typed = words.slice(0, siblings.length > 0 ? topic.split(' ').length + 1 : words.length).join(' ')
  const meant = nearest(typed, known) ?? nearestTopic([...words, ...(argv ?? [])], known)
  if (meant) throw misuse(`There is no command "${typed}".`, `Did you mean "${config.bin} ${meant}"?`)
  if (siblings.length > 0) {
    const verbs = siblings.map((name) => name.slice(topic.length + 1)).join(', ')
    throw misuse(`There is no command "${typed}".`, `After "${topic}" there are: ${verbs}.`)
  }
  throw misuse(`There is no command "${typed}".`, `See what there is: ${config.bin} --help`)
}

/** The longest topic that the words begin with, `users 2fa` rather than `users`; else the first word. */
function topicOf(words: readonly string[], known: readonly string[]): string {
  const two = words.slice(0, 2).join(' ')
  return known.some((name) => name.startsWith(`${two} `)) ? two : (words[0] ?? '')
}

/** `doc list` and `collection list` mistake the topic only. */
function nearestTopic([first = '', second = '']: readonly string[], known: readonly string[]): string | undefined {
  const topic = nearest(first, [...new Set(known.map((name) => name.split(' ', 1)[0] ?? name))])
  if (second === '') return topic
  return topic && nearest(`${topic} ${second}`, known)
}

export default commandNotFound
