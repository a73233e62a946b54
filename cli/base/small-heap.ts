import { setFlagsFromString } from 'node:v8'

/**
 * Stops the heap's young generation from growing. Rows that stream through die young. Without this, they fill three times the
 * memory before they are collected, with no gain in speed.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
