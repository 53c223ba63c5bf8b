/** English numbers that are written out, as the alternatives of a pattern: from one to ninety-nine, and the large ones. */
export const NUMBER_WORDS = String.raw`one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\p{L}+)?|hundreds?|thousands?|millions?|billions?`;
