import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the space for young objects as small as it begins. Rows that stream through die young: without this they pile
 * up to three times the memory before it is collected, and go no faster for it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
