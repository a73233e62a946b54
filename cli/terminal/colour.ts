import { Chalk, type ChalkInstance, supportsColor, supportsColorStderr } from 'chalk'

/** Colours for stdout and for stderr: none without a terminal, none under NO_COLOR, always under FORCE_COLOR. */
export const onStdout: ChalkInstance = new Chalk({ level: levelOf(supportsColor) })
export const onStderr: ChalkInstance = new Chalk({ level: levelOf(supportsColorStderr) })

function levelOf(supported: typeof supportsColor): 0 | 1 | 2 | 3 {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR && !FORCE_COLOR) return 0
  return supported ? supported.level : 0
}
