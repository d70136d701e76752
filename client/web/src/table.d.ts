// `carom/table`: the table of methods with its texts, for consoles, forms and documentation. Clients do not need it.
import type {MethodName} from './methods.js';

export interface ArgumentInfo {
  type: string; required?: true; min?: number; max?: number;
  count?: [number, number]; words?: string[]; fallback?: unknown; unit?: string; doc: string;
}
export interface TableRow {
  role: 'none' | 'viewer' | 'player' | 'referee' | 'admin'; scope: string; batch: boolean;
  summary: string; result: string; args: Record<string, ArgumentInfo>;
}
export const TABLE: Record<MethodName, TableRow>;
/** The arguments of each kind of shape. */
export const SHAPES: Record<string, Record<string, ArgumentInfo>>;
/** The arguments of a shape's filter. */
export const FILTER: Record<string, ArgumentInfo>;
/** The precision of packed snapshots. */
export const PRECISION: Record<string, ArgumentInfo>;
export const PLAYERS: Record<string, ArgumentInfo>;
