/** Quantile of the normal distribution for an interval of 95 %. */
const Z = 1.96;

export type Interval = [low: number, high: number];

export const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The nearest-rank percentile; 0 of no numbers. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

/** 95 % interval of a share, by Wilson (1927), which holds for few questions and for shares near 0 and 1. */
export function shareInterval(hits: number, total: number): Interval {
  const share = hits / total;
  const centre = share + Z ** 2 / (2 * total);
  const reach = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  const scale = 1 + Z ** 2 / total;
  return [Math.max(0, (centre - reach) / scale), Math.min(1, (centre + reach) / scale)];
}

/** 95 % interval of a mean, by its standard error; of a single number, that number. */
export function meanInterval(numbers: readonly number[]): Interval {
  const centre = mean(numbers);
  if (numbers.length < 2) return [centre, centre];
  const variance = numbers.reduce((sum, number) => sum + (number - centre) ** 2, 0) / (numbers.length - 1);
  const reach = Z * Math.sqrt(variance / numbers.length);
  return [centre - reach, centre + reach];
}

/** The values of all records under each name. */
export function valuesByName(records: Iterable<Readonly<Record<string, number>>>): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  }
  return values;
}
